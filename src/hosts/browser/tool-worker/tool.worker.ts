// The built-in tool worker. A host with tools of its own writes a file like this one.
import '../../../core/symbol-dispose.ts';
import { workers } from '../../../tools/workers.ts';
import { serveTools } from './serve-tools.ts';

serveTools(workers);
