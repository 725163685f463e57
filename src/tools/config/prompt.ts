// The description of Config for the model.

export const configToolName = 'Config';

export const configDescription =
  'Reads a setting of this session, or sets it: the model, the permission mode, the title.';

export const configPrompt = `Config reads a setting, and sets it where you give a value. Set one only when the user asks for it.
- model: which model answers. Its value is a name that the host gives; default is the host's own. It holds from your next request on, which finds no cache.
- permissionMode: what may be done without a question. You can only tighten it: the user alone loosens it.
- thinking: how much you may think. It is the host's, and can only be read.
- title: what the session is called in lists.`;
