// The page of the memory bench: a conversation whose Repl session is as full as it may be. Driven, step
// by step, by ../memory.ts, which reads between the steps what the renderer holds.
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import {
  createBrowserHost,
  createScriptedModel,
  query,
  type ScriptBlock,
  type SDKUserMessage,
} from 'rockpool/browser';

declare global {
  interface Window {
    /** Opens a host, with a conversation that makes each of these cells a turn. */
    openConversation?: (cells: readonly string[]) => Promise<void>;
    /** Runs the next cell, and resolves with what it answered. */
    runNext?: () => Promise<string>;
    endConversation?: () => Promise<void>;
    closeHost?: () => Promise<void>;
  }
}

window.openConversation = async (cells) => {
  const host = await createBrowserHost({ workspace: 'memory', assets: { wasm: wasmUrl } });
  const model = createScriptedModel({
    script: {
      turns: cells.flatMap((code) => [
        { blocks: [{ type: 'tool_use', name: 'Repl', input: { code } } as ScriptBlock] },
        { blocks: [{ type: 'text', text: 'Done.' } as ScriptBlock] },
      ]),
    },
  });
  const { readable, writable } = new TransformStream<SDKUserMessage, SDKUserMessage>();
  const prompts = writable.getWriter();
  const options = { host, model, permissionMode: 'bypassPermissions' } as const;
  const conversation = query({ prompt: readable, options });
  window.runNext = async () => {
    void prompts.write({
      type: 'user',
      message: { role: 'user', content: 'Go on.' },
      parent_tool_use_id: null,
      session_id: '',
    });
    return nextAnswer(conversation);
  };
  window.endConversation = async () => {
    await prompts.close();
    while (!(await conversation.next()).done);
  };
  window.closeHost = () => host.destroy();
};

/** Of one turn. */
async function nextAnswer(conversation: ReturnType<typeof query>): Promise<string> {
  let answer = '';
  for (;;) {
    const { value, done } = await conversation.next();
    if (done) return answer;
    if (value.type === 'user') answer = JSON.stringify(value.message.content);
    if (value.type === 'result') return answer;
  }
}
