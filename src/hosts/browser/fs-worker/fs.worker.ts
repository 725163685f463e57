// The FS worker: owns the log and is the only writer. Started by createBrowserHost.
import { expose } from 'comlink';
import { createFsWorkerControl } from './fs-worker-control.ts';

expose(createFsWorkerControl());
