// A worker that an embedder of rockpool/workspace alone would have.
import { expose } from 'comlink';
import { deleteOpfsLog } from 'rockpool/workspace';
import { countNotes } from '../../../docs/examples/workspace.ts';

const example = { countNotes, remove: (name: string) => deleteOpfsLog(name) };

export type WorkspaceExample = typeof example;

expose(example);
