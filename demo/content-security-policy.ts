// The policy of what the demo's page may load and run. vite.config.ts adds it to the page as a <meta>, so that it
// holds on any static host. It also sends it as a header, so that it holds in the workers.

/** One directive on each line; each exception to 'none' has its reason. */
const directives = [
  "default-src 'none'",
  // Compiling the sandbox's engine, which is wasm. No eval, no inline scripts.
  "script-src 'self' 'wasm-unsafe-eval'",
  // No 'unsafe-inline': CodeMirror's styles are constructed sheets in a shadow root.
  "style-src 'self'",
  // Images of tool results are shown from their bytes. Nothing is loaded from a network.
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "worker-src 'self'",
  // The model's address is the user's choice: any https server, or one on this machine.
  "connect-src 'self' https: http://localhost:* http://127.0.0.1:*",
  // The frames of MCP Apps are served with the page. Their content has no origin.
  "frame-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
];

export const contentSecurityPolicy = directives.join('; ');
