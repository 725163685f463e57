// The tool worker of the workspace bench: the library's entry function with the bench's own tool.
import { serveTools } from 'rockpool/serve-tools';
import { benchTool } from './bench-tool.ts';

serveTools([{ name: 'Bench', load: async () => benchTool }]);
