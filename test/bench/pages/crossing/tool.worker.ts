// The tool worker of the crossing bench.
import * as z from 'zod';
import { serveTools, type WorkerToolEntry } from 'rockpool/serve-tools';
import { results, type ResultName } from './results.ts';

const inputSchema = z.strictObject({});

serveTools(
  (Object.keys(results) as ResultName[]).map((name): WorkerToolEntry => ({
    name,
    load: () => Promise.resolve({ inputSchema, handler: async () => results[name]() }),
  })),
);
