// What a workspace is kept on where nobody chooses, by the browser that the tests run in.
import { server } from 'vitest/browser';

/** WebKitGTK opens no synchronous handle of OPFS. */
export const bestDriver = server.browser === 'webkit' ? 'idb-log' : 'opfs-log';
