/**
 * The floors: who in src/ may import whom. The same table as in docs/architecture.md, as data; a
 * file that stands on no floor is a breach too. scripts/floors.ts checks it.
 */

/** One row. Patterns are regular expressions over paths from the repository's root. */
export interface Floor {
  readonly name: string;
  /** Which files stand on this floor. A group in it can be named in `mayImport` as `$1`. */
  readonly files: string;
  /** What they may import from src/ beside themselves. */
  readonly mayImport: readonly string[];
  /** Whether they may import zod, the one package that is restricted. */
  readonly zod?: true;
}

const core = '^src/core/';
const trace = '^src/trace/';
const text = '^src/text/';
const media = '^src/media/';
const search = '^src/search/';
const adapters = '^src/adapters/';
const workspace = '^src/workspace/';
const workspaceFiles = '^src/workspace/files/';
const workspaceGit = '^src/workspace/git/';
const mounts = '^src/workspace/mounts/';
const npm = '^src/workspace/npm/';
const archives = '^src/workspace/archives/';
const documents = '^src/workspace/documents/';
const guest = '^src/repl/guest/';
const repl = '^src/repl/';
const model = '^src/model/';
const mcp = '^src/mcp/';
const lsp = '^src/lsp/';
const agent = '^src/agent/';
const wire = '^src/wire/';
const inline = '^src/hosts/inline/';
/** What all hosts share stands in hosts/ itself. */
const hosts = '^src/hosts/[^/]+[.]ts$';
/** A tool's files without React, and the tables of them. */
const tools =
  '^src/tools/(?:[^/]+/(?:input|schema|prompt|tool|worker)|definitions|core-tools|deferred-table|deferred-descriptions|workers)[.]ts$';
const portable = [
  core,
  trace,
  text,
  media,
  workspace,
  search,
  repl,
  model,
  mcp,
  lsp,
  agent,
  wire,
  tools,
];

/** Rows in the order of the architecture's table; the first that matches a file is its floor. */
export const floors: readonly Floor[] = [
  { name: 'core', files: '^src/core/', mayImport: [core], zod: true },
  { name: 'trace', files: trace, mayImport: [trace, core] },
  { name: 'text', files: text, mayImport: [text, core] },
  // Of the workspace it needs to know what an image is, and nothing else.
  { name: 'media', files: media, mayImport: [media, core, '^src/workspace/state/image[.]ts$'] },
  {
    name: 'workspace files',
    files: workspaceFiles,
    // Operations over a tree, wherever that came from: nothing of the writer, its log or replicas.
    mayImport: [
      workspaceFiles,
      core,
      text,
      '^src/workspace/(?:tree/|state/(?:content-source|base64)[.]ts$|draft/draft[.]ts$)',
    ],
  },
  {
    name: 'workspace git',
    files: workspaceGit,
    // Git over one draft: nothing of the writer, its log or replicas.
    mayImport: [workspaceGit, workspaceFiles, core, text, '^src/workspace/(?:tree|state|draft)/'],
  },
  {
    name: 'workspace mounts',
    files: mounts,
    // Over the port of a workspace, wherever that is: nothing of its writer, trees or log.
    mayImport: [
      mounts,
      core,
      '^src/workspace/(?:workspace|state/mirror-roots|files/(?:file-system|file-operations|file-limits|fs-error))[.]ts$',
    ],
  },
  {
    name: 'workspace npm',
    files: npm,
    mayImport: [npm, archives, core, '^src/workspace/workspace[.]ts$'],
  },
  {
    name: 'workspace archives',
    files: archives,
    mayImport: [archives, core, '^src/workspace/workspace[.]ts$'],
  },
  {
    name: 'workspace documents',
    files: documents,
    mayImport: [documents, core, '^src/text/merge-text[.]ts$', '^src/workspace/workspace[.]ts$'],
  },
  { name: 'workspace', files: workspace, mayImport: [workspace, core, text] },
  // A service over a view: the workspace knows nothing of it.
  { name: 'search', files: search, mayImport: [search, core, text, workspace] },
  // It runs in the sandbox's engine: text to all the rest (src/repl/guest-code.ts is made of it).
  { name: 'guest', files: guest, mayImport: [guest] },
  {
    // It runs in a previewed page, as text: to all the rest (frame-code.ts is made of it).
    name: 'preview frame',
    files: '^src/hosts/browser/preview/frame/',
    mayImport: [
      '^src/hosts/browser/preview/frame/',
      // What a model may do to it.
      '^src/core/host-ports/preview[.]ts$',
      '^src/repl/guest/(?:parts/loader|parts/classes|host|kernel-type)[.]ts$',
    ],
  },
  { name: 'repl', files: repl, mayImport: ['^src/repl/(?!guest/)', core, text, workspace] },
  { name: 'model', files: model, mayImport: [model, core] },
  { name: 'mcp', files: mcp, mayImport: [mcp, core] },
  { name: 'lsp', files: lsp, mayImport: [lsp, core] },
  {
    name: 'agent',
    files: agent,
    // No tool: it knows tools by the contract. Of the workspace only the ports.
    mayImport: [
      agent,
      core,
      trace,
      model,
      // Of texts the head of definitions: skills, commands, agents.
      '^src/text/front-matter[.]ts$',
      // Of media how an image of a server's result is made to fit.
      '^src/media/result-image[.]ts$',
      '^src/workspace/(?:workspace|streams|files/file-system|state/base64)[.]ts$',
    ],
  },
  // A session from afar: its messages and requests, and the feed of its files.
  { name: 'wire', files: wire, mayImport: [wire, core, trace, agent, workspace] },
  // What a worker must know of a call where it has no zod at hand.
  { name: 'tool input', files: '^src/tools/[^/]+/input[.]ts$', mayImport: [core] },
  {
    name: 'tool schema',
    files: '^src/tools/([^/]+)/schema[.]ts$',
    mayImport: [core, '^src/tools/$1/input[.]ts$'],
    zod: true,
  },
  {
    name: 'tool prompt',
    files: '^src/tools/([^/]+)/prompt[.]ts$',
    mayImport: ['^src/tools/$1/schema[.]ts$'],
  },
  {
    name: "repl's tool",
    files: '^src/tools/(repl)/tool[.]ts$',
    mayImport: [
      core,
      '^src/tools/repl/(?:input|schema|prompt)[.]ts$',
      '^src/repl/cell/classify[.]ts$',
    ],
  },
  {
    name: "workflow's tool",
    files: '^src/tools/(workflow)/tool[.]ts$',
    mayImport: [
      core,
      '^src/tools/workflow/(?:schema|prompt)[.]ts$',
      '^src/repl/workflow/read-script[.]ts$',
    ],
  },
  {
    name: 'tool',
    files: '^src/tools/([^/]+)/tool[.]ts$',
    mayImport: [core, '^src/tools/$1/(?:schema|prompt)[.]ts$'],
  },
  {
    name: "lsp's tool worker",
    files: '^src/tools/(lsp)/worker[.]ts$',
    mayImport: [core, lsp, '^src/tools/lsp/schema[.]ts$', workspace],
  },
  {
    name: 'tool worker',
    files: '^src/tools/([^/]+)/worker[.]ts$',
    mayImport: [core, '^src/tools/$1/(?:input|schema)[.]ts$', text, media, workspace, search, repl],
  },
  {
    name: 'tool view',
    files: '^src/tools/([^/]+)/view[.]tsx$',
    mayImport: [core, '^src/tools/$1/schema[.]ts$', '^src/react/kit/'],
  },
  {
    name: 'table of tools',
    files: '^src/tools/(?:definitions|core-tools|deferred-table|deferred-descriptions)[.]ts$',
    mayImport: [
      core,
      '^src/tools/(?:core-tools|deferred-table|deferred-descriptions)[.]ts$',
      '^src/tools/[^/]+/tool[.]ts$',
    ],
  },
  {
    name: 'table of workers',
    files: '^src/tools/workers[.]ts$',
    // The Repl's session is named beside its worker half, so that both are fetched at once.
    mayImport: [core, '^src/tools/[^/]+/worker[.]ts$', '^src/repl/session/session[.]ts$'],
  },
  {
    name: 'table of views',
    files: '^src/tools/views[.]ts$',
    mayImport: [core, '^src/tools/[^/]+/view[.]tsx$', '^src/react/kit/'],
  },
  {
    name: 'readers of the task list',
    files: '^src/tools/task-list-readers[.]ts$',
    mayImport: [core, '^src/react/session-task-list[.]ts$'],
  },
  { name: 'adapters', files: adapters, mayImport: [...portable, adapters] },
  // React never imports the agent: it shows a local and a remote session alike.
  { name: 'react', files: '^src/react/', mayImport: ['^src/react/', core, trace] },
  { name: 'hosts', files: hosts, mayImport: [...portable, hosts] },
  { name: 'host inline', files: inline, mayImport: [...portable, hosts, inline] },
  {
    name: 'host',
    files: '^src/hosts/(browser|edge)/',
    // A tab's host and an isolate's never import each other.
    mayImport: [...portable, '^src/hosts/$1/', hosts, inline],
  },
  {
    name: 'host server',
    files: '^src/hosts/server/',
    // A session in a process is what it is in an isolate's object.
    mayImport: [...portable, '^src/hosts/server/', '^src/hosts/edge/', hosts, inline],
  },
  { name: 'entry: portable core', files: '^src/index[.]ts$', mayImport: portable },
  {
    name: 'entry: browser',
    files: '^src/browser[.]ts$',
    // A tab's page imports all from here: what it re-exports is the portable core.
    mayImport: [...portable, '^src/hosts/browser/', hosts, '^src/index[.]ts$'],
  },
  {
    name: 'entry: serve-tools',
    files: '^src/serve-tools[.]ts$',
    mayImport: [...portable, '^src/hosts/browser/', hosts],
  },
  {
    name: 'entry: stores',
    files: '^src/stores[.]ts$',
    mayImport: [core, '^src/react/[^/]+[.]ts$', '^src/tools/task-list-readers[.]ts$'],
  },
  {
    name: 'entry: react',
    files: '^src/react[.]ts$',
    mayImport: [core, '^src/stores[.]ts$', '^src/react/', '^src/tools/views[.]ts$'],
  },
  {
    name: 'entry: edge',
    files: '^src/edge[.]ts$',
    mayImport: [...portable, '^src/hosts/edge/', hosts],
  },
  {
    name: 'entry: cloudflare-agents',
    files: '^src/cloudflare-agents[.]ts$',
    mayImport: ['^src/hosts/edge/'],
  },
  {
    name: 'entry: server',
    files: '^src/server[.]ts$',
    mayImport: [core, wire, '^src/hosts/server/'],
  },
  { name: 'entry: wire', files: '^src/wire[.]ts$', mayImport: [core, wire] },
  { name: 'entry: mcp', files: '^src/mcp[.]ts$', mayImport: [core, mcp] },
  {
    name: 'entry: lsp',
    files: '^src/lsp[.]ts$',
    mayImport: [core, lsp, '^src/hosts/(?:language-servers[.]ts$|browser/lsp-worker/)'],
  },
  {
    name: 'entry: workspace',
    files: '^src/workspace[.]ts$',
    mayImport: [core, text, workspace, search],
  },
  { name: 'entry: git', files: '^src/git[.]ts$', mayImport: [core, workspaceGit] },
  { name: 'entry: sema', files: '^src/sema[.]ts$', mayImport: [...portable, adapters] },
  { name: 'entry: inline', files: '^src/inline[.]ts$', mayImport: [...portable, hosts, inline] },
  { name: 'entry: testing', files: '^src/testing[.]ts$', mayImport: [...portable, inline] },
];
