// Calls of the tools on resources of MCP servers.
import type {
  ListMcpResourcesInput,
  ListMcpResourcesOutput,
} from '../../../src/tools/list-mcp-resources/schema.ts';
import type {
  ReadMcpResourceDirInput,
  ReadMcpResourceDirOutput,
} from '../../../src/tools/read-mcp-resource-dir/schema.ts';
import type {
  ReadMcpResourceInput,
  ReadMcpResourceOutput,
} from '../../../src/tools/read-mcp-resource/schema.ts';
import type { ToolExample } from '../tool-example.ts';

export const listMcpResourcesExample: ToolExample<ListMcpResourcesInput, ListMcpResourcesOutput> = {
  input: { server: 'wiki' },
  output: [
    { uri: 'wiki://rounding', name: 'Rounding', mimeType: 'text/markdown', server: 'wiki' },
    { uri: 'wiki://pages/{name}', name: 'Any page', server: 'wiki' },
  ],
  failure: 'There is no connected server "wiki" with resources. There is none now.',
  variants: {
    'the values of a template': {
      input: { server: 'wiki', complete: { uri: 'wiki://pages/{name}', argument: 'name' } },
      output: [{ uri: 'wiki://pages/rounding', name: 'rounding', server: 'wiki' }],
    },
  },
};

export const readMcpResourceExample: ToolExample<ReadMcpResourceInput, ReadMcpResourceOutput> = {
  input: { server: 'wiki', uri: 'wiki://rounding' },
  output: {
    contents: [
      { uri: 'wiki://rounding', mimeType: 'text/markdown', text: 'Half a minute is rounded up.' },
      {
        uri: 'wiki://rounding/chart',
        mimeType: 'image/png',
        blobSavedTo: '/session/s1/mcp-resources/chart.png',
      },
    ],
  },
  failure: 'The server took longer than 60 s.',
};

export const readMcpResourceDirExample: ToolExample<
  ReadMcpResourceDirInput,
  ReadMcpResourceDirOutput
> = {
  input: { server: 'wiki', uri: 'wiki://pages' },
  output: { resources: [{ uri: 'wiki://pages/rounding', name: 'rounding' }] },
  failure: 'The server can’t list directories. List its resources instead.',
};
