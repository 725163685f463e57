// The built-in tools that the model knows by name until ToolSearch loads them, as one chunk: apart
// from the core's, so that what the core weighs doesn't grow with each of them. Imported by
// definitions.ts alone.
export { notebookEditTool } from './notebook-edit/tool.ts';
export { taskStopTool } from './task-stop/tool.ts';
