// The tools of every session's start, as one chunk: they are loaded together, and one file
// compresses better than many. Only definitions.ts imports it.
export { agentTool } from './agent/tool.ts';
export { askUserQuestionTool } from './ask-user-question/tool.ts';
export { editTool } from './edit/tool.ts';
export { globTool } from './glob/tool.ts';
export { grepTool } from './grep/tool.ts';
export { readTool } from './read/tool.ts';
export { replTool } from './repl/tool.ts';
export { skillTool } from './skill/tool.ts';
export { syntheticOutputTool } from './synthetic-output/tool.ts';
export { toolSearchTool } from './tool-search/tool.ts';
export { writeTool } from './write/tool.ts';
