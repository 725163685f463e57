// Names of functions and classes in Node's modules that the sandbox doesn't have.

/** The functions of each module, except those that parts/absent.ts implements. */
export const absentFunctions: Readonly<Record<string, string>> = {
  child_process: 'ChildProcess exec execFile execFileSync execSync fork spawn spawnSync',
  cluster: 'Worker setupPrimary setupMaster fork disconnect',
  worker_threads:
    'moveMessagePortToContext receiveMessageOnPort postMessageToThread Worker ' +
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
  vm: 'SourceTextModule SyntheticModule measureMemory',
  v8:
    'cachedDataVersionTag getHeapSnapshot getHeapStatistics getHeapSpaceStatistics ' +
    'getHeapCodeStatistics getCppHeapStatistics setFlagsFromString Serializer Deserializer ' +
    'DefaultSerializer DefaultDeserializer deserialize takeCoverage stopCoverage serialize ' +
    'writeHeapSnapshot queryObjects setHeapSnapshotNearHeapLimit GCProfiler ' +
    'isStringOneByteRepresentation startCpuProfile',
  inspector: 'open close url waitForDebugger Session',
  'inspector/promises': 'open close url waitForDebugger Session',
  sqlite: 'DatabaseSync StatementSync Session backup',
  wasi: 'WASI',
  sea: 'isSea getAsset getAssetAsBlob getRawAsset getAssetKeys',
  trace_events: 'createTracing getEnabledCategories',
  'test/reporters': 'dot junit lcov spec tap',
  module: 'findPackageJSON register registerHooks runMain stripTypeScriptTypes SourceMap',
  util: 'MIMEType MIMEParams diff setTraceSigInt',
  tty: 'ReadStream WriteStream',
  _http_common: 'HTTPParser',
  fs:
    'link linkSync chown chownSync fchown fchownSync lchown lchownSync ' +
    'lutimes lutimesSync statfs statfsSync openAsBlob mkdtempDisposableSync Utf8Stream',
  'fs.promises': 'link chown lchown lutimes statfs mkdtempDisposable',
  events: 'EventEmitterAsyncResource',
  stream: 'compose duplexPair setDefaultHighWaterMark',
  domain: 'Domain createDomain create',
  repl: 'start writer REPLServer Recoverable isValidSyntax',
  crypto:
    'createDiffieHellman createDiffieHellmanGroup getDiffieHellman createECDH diffieHellman ' +
    'privateEncrypt publicDecrypt Sign Verify ECDH DiffieHellman ' +
    'DiffieHellmanGroup X509Certificate Certificate argon2 argon2Sync checkPrime checkPrimeSync generatePrime ' +
    'generatePrimeSync encapsulate decapsulate getCipherInfo randomUUIDv7 setEngine setFips',
  perf_hooks:
    'Performance PerformanceEntry PerformanceMark PerformanceMeasure PerformanceObserver ' +
    'PerformanceObserverEntryList PerformanceResourceTiming createHistogram monitorEventLoopDelay timerify',
};
