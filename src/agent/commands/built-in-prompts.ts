// The built-in commands whose text is a prompt. A skill, a file of the workspace or a server's
// prompt of the same name replaces them. Many projects have their own /review.
import type { PromptCommand } from './commands.ts';

const ours = {
  kind: 'command',
  source: 'built-in',
  place: 'the built-in commands',
  allowedTools: [],
} as const;

/** In alphabetical order. */
export const builtInPrompts: readonly PromptCommand[] = [
  {
    ...ours,
    name: 'init',
    description: 'Write the project’s instructions for agents: CLAUDE.md',
    argumentHint: '[what they must have]',
    load: async () => ({ body: (await import('./built-in/init.ts')).initPrompt, allow: [] }),
  },
  {
    ...ours,
    name: 'review',
    description: 'Review what isn’t committed, or what you name',
    argumentHint: '[what to review]',
    load: async (args) => ({
      body: (await import('./built-in/review.ts')).toReviewPrompt(args),
      allow: [],
    }),
  },
];
