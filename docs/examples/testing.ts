import { query } from 'rockpool';
import { createInlineHost, createScriptedAnswers, createScriptedModel } from 'rockpool/testing';

const script = {
  turns: [
    { blocks: [{ type: 'tool_use', name: 'Grep', id: 'find', input: { pattern: 'helo' } }] },
    { blocks: [{ type: 'tool_use', name: 'Read', input: { file_path: '{{find:/^.*ts$/m}}' } }] },
    { blocks: [{ type: 'tool_use', name: 'Edit', input: edit('{{find:/^.*ts$/m}}') }] },
    { blocks: [{ type: 'text', text: 'It says hello now.' }] },
  ],
} as const;

function edit(file_path: string) {
  return { file_path, old_string: 'helo', new_string: 'hello' };
}

/** Gives the file as the agent leaves it, and what the person was asked on the way. */
export async function mendGreeting(answer: 'allow' | 'deny') {
  await using host = await createInlineHost();
  await host.workspace.fs.writeFile('/workspace/greet.ts', "export const greeting = 'helo';\n");
  const { asked, canUseTool } = createScriptedAnswers([answer]);
  const options = { host, model: createScriptedModel({ script }), canUseTool };
  for await (const message of query({ prompt: 'Mend the greeting.', options }))
    if (message.type === 'result' && message.is_error)
      throw new Error(message.subtype === 'success' ? message.result : message.errors.join(' '));
  const text = await host.workspace.fs.readFile('/workspace/greet.ts', 'utf8');
  return { text, asked: asked.map(({ toolName }) => toolName) };
}
