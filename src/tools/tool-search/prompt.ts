// The description of ToolSearch for the model.

export const toolSearchToolName = 'ToolSearch';

export const toolSearchDescription =
  'Loads tools that so far are known by name only, so that they can be called.';

export const toolSearchPrompt = `ToolSearch finds tools that aren't loaded: those whose names stand in an <available-deferred-tools> block. What it finds is loaded, with a description and the input that it takes, and can be called from your next message on.
- \`select:NotebookEdit,WebFetch\` loads exactly these tools. Use it when you know the names.
- \`notebook jupyter\` ranks all such tools by these words, and loads the best max_results.
- \`+slack send\` loads only tools with "slack" in their name, ranked by the other words.
Don't guess the input of a tool that isn't loaded: load it first. Nothing has to be loaded twice.`;
