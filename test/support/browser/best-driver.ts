// The driver that a workspace uses by default in the browser that runs the tests.
import { server } from 'vitest/browser';

/** WebKitGTK opens no synchronous handle of OPFS. */
export const bestDriver = server.browser === 'webkit' ? 'idb-log' : 'opfs-log';
