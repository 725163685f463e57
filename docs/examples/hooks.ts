import { query, type Host, type HookCallback, type Model } from 'rockpool';

/** Keeps secrets out of what is written, and counts what was. */
export async function runGuarded(host: Host, model: Model, prompt: string): Promise<number> {
  let written = 0;
  const guard: HookCallback<'PreToolUse'> = async ({ tool_input }) => {
    if (!JSON.stringify(tool_input).includes('sk-live-')) return {};
    const permissionDecisionReason = 'Keys belong into the settings, not into files.';
    const verdict = { permissionDecision: 'deny', permissionDecisionReason } as const;
    return { hookSpecificOutput: { hookEventName: 'PreToolUse', ...verdict } };
  };
  const hooks = {
    PreToolUse: [{ matcher: 'Edit|Write', timeout: 5, onFailure: 'block', hooks: [guard] }],
    PostToolUse: [
      {
        if: 'Edit(src/**)',
        hooks: [
          async () => {
            written += 1;
            return {};
          },
        ],
      },
    ],
  } as const;
  const options = { host, model, hooks, permissionMode: 'acceptEdits' } as const;
  for await (const message of query({ prompt, options }))
    if (message.type === 'result' && message.is_error)
      throw new Error(message.subtype === 'success' ? message.result : message.errors.join(' '));
  return written;
}
