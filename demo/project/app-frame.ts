// Where the frame of MCP Apps is served: by Vite, as one of the demo's files.
import url from 'rockpool/app-frame.html?url';

/** Absolute. */
export const appFrame = new URL(url, document.baseURI).href;
