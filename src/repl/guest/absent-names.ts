// What Node's modules have that aren't in the sandbox: the names of their functions and classes.

/** By the module: its functions, apart from those that the part `absent` makes. */
export const absentFunctions: Readonly<Record<string, string>> = {
  child_process: 'ChildProcess exec execFile execFileSync execSync fork spawn spawnSync',
  cluster: 'Worker setupPrimary setupMaster fork disconnect',
  worker_threads:
    'moveMessagePortToContext receiveMessageOnPort postMessageToThread Worker BroadcastChannel ' +
    'setEnvironmentData getEnvironmentData',
  http: 'setMaxIdleHTTPParsers setGlobalProxyFromEnv',
  https: 'Server createServer',
  http2:
    'connect createServer createSecureServer getDefaultSettings getPackedSettings getUnpackedSettings ' +
    'performServerHandshake Http2ServerRequest Http2ServerResponse',
  net:
    'BlockList SocketAddress BoundSocket connect createConnection createServer Server Socket Stream ' +
    'getDefaultAutoSelectFamily setDefaultAutoSelectFamily getDefaultAutoSelectFamilyAttemptTimeout ' +
    'setDefaultAutoSelectFamilyAttemptTimeout',
  tls:
    'getCiphers getCertificateCompressionAlgorithms getCACertificates setDefaultCACertificates ' +
    'convertALPNProtocols checkServerIdentity createSecureContext SecureContext TLSSocket Server ' +
    'createServer connect',
  dns:
    'lookup lookupService Resolver getDefaultResultOrder setDefaultResultOrder setServers getServers ' +
    'resolve resolve4 resolve6 resolveAny resolveCaa resolveCname resolveMx resolveNaptr resolveNs ' +
    'resolvePtr resolveSoa resolveSrv resolveTlsa resolveTxt reverse',
  dgram: 'createSocket Socket',
  punycode: 'decode encode toASCII toUnicode',
  async_hooks: 'createHook',
  vm: 'createContext createScript runInContext runInNewContext compileFunction measureMemory',
  v8:
    'cachedDataVersionTag getHeapSnapshot getHeapStatistics getHeapSpaceStatistics ' +
    'getHeapCodeStatistics getCppHeapStatistics setFlagsFromString Serializer Deserializer ' +
    'DefaultSerializer DefaultDeserializer deserialize takeCoverage stopCoverage serialize ' +
    'writeHeapSnapshot queryObjects setHeapSnapshotNearHeapLimit GCProfiler ' +
    'isStringOneByteRepresentation startCpuProfile',
  inspector: 'open close url waitForDebugger Session',
  domain: 'Domain createDomain create',
  repl: 'start writer REPLServer Recoverable isValidSyntax',
  crypto:
    'createDiffieHellman createECDH createSign createVerify diffieHellman generateKeyPairSync ' +
    'privateDecrypt privateEncrypt publicDecrypt publicEncrypt',
  perf_hooks:
    'Performance PerformanceEntry PerformanceMark PerformanceMeasure PerformanceObserver ' +
    'PerformanceObserverEntryList PerformanceResourceTiming createHistogram monitorEventLoopDelay',
  'path.win32':
    'basename dirname extname format join matchesGlob normalize relative resolve ' +
    'toNamespacedPath',
};
