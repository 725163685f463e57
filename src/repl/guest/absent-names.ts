// What Node's modules have that aren't in the sandbox: the names of their functions and classes, and small data.

/** By the module: its functions, apart from those that the part `absent` makes. */
export const absentFunctions: Readonly<Record<string, string>> = {
  child_process: 'ChildProcess exec execFile execFileSync execSync fork spawn spawnSync',
  cluster: 'Worker setupPrimary setupMaster fork disconnect',
  worker_threads:
    'MessagePort MessageChannel markAsUncloneable markAsUntransferable isMarkedAsUntransferable ' +
    'moveMessagePortToContext receiveMessageOnPort postMessageToThread Worker BroadcastChannel ' +
    'setEnvironmentData getEnvironmentData',
  http: 'setMaxIdleHTTPParsers setGlobalProxyFromEnv WebSocket CloseEvent MessageEvent',
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
  'async_hooks.AsyncLocalStorage': 'run enterWith',
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
    'basename dirname extname format join matchesGlob normalize parse relative resolve ' +
    'toNamespacedPath',
};

export const httpMethods =
  'ACL BIND CHECKOUT CONNECT COPY DELETE GET HEAD LINK LOCK M-SEARCH MERGE MKACTIVITY MKCALENDAR ' +
  'MKCOL MOVE NOTIFY OPTIONS PATCH POST PROPFIND PROPPATCH PURGE PUT QUERY REBIND REPORT SEARCH ' +
  'SOURCE SUBSCRIBE TRACE UNBIND UNLINK UNLOCK UNSUBSCRIBE';

export const httpStatuses =
  '100 Continue|101 Switching Protocols|102 Processing|103 Early Hints|200 OK|201 Created|' +
  '202 Accepted|203 Non-Authoritative Information|204 No Content|205 Reset Content|' +
  '206 Partial Content|207 Multi-Status|208 Already Reported|226 IM Used|300 Multiple Choices|' +
  '301 Moved Permanently|302 Found|303 See Other|304 Not Modified|305 Use Proxy|' +
  '307 Temporary Redirect|308 Permanent Redirect|400 Bad Request|401 Unauthorized|' +
  '402 Payment Required|403 Forbidden|404 Not Found|405 Method Not Allowed|406 Not Acceptable|' +
  '407 Proxy Authentication Required|408 Request Timeout|409 Conflict|410 Gone|' +
  '411 Length Required|412 Precondition Failed|413 Payload Too Large|414 URI Too Long|' +
  '415 Unsupported Media Type|416 Range Not Satisfiable|417 Expectation Failed|' +
  "418 I'm a Teapot|421 Misdirected Request|422 Unprocessable Entity|423 Locked|" +
  '424 Failed Dependency|425 Too Early|426 Upgrade Required|428 Precondition Required|' +
  '429 Too Many Requests|431 Request Header Fields Too Large|' +
  '451 Unavailable For Legal Reasons|500 Internal Server Error|501 Not Implemented|' +
  '502 Bad Gateway|503 Service Unavailable|504 Gateway Timeout|505 HTTP Version Not Supported|' +
  '506 Variant Also Negotiates|507 Insufficient Storage|508 Loop Detected|' +
  '509 Bandwidth Limit Exceeded|510 Not Extended|511 Network Authentication Required';
