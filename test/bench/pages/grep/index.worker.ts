// Makes the index of the corpus in a worker, as a tool worker does.
import { expose } from 'comlink';
import { measureIndex } from '../../grep/measure-index.ts';

const worker = { measureIndex };

export type IndexWorker = typeof worker;

expose(worker);
