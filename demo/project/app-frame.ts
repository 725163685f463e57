// The address of the frame for MCP Apps, which Vite serves as one of the demo's files.
import url from 'rockpool/app-frame.html?url';

/** Absolute. */
export const appFrame = new URL(url, document.baseURI).href;
