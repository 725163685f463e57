// The FS worker: owns the log and is the only writer. Started by createBrowserHost.
import '../../../core/symbol-dispose.ts';
import { expose } from 'comlink';
import { createFsWorkerControl } from './fs-worker-control.ts';

expose(createFsWorkerControl());
