// Whole turns over a workspace with skills.
import type { Host } from '../../../src/agent/host.ts';
import type { SDKMessage, SDKUserMessage } from '../../../src/core/messages/sdk-message.ts';
import type { SkillOutput } from '../../../src/tools/skill/schema.ts';
import { callTool, openHost } from './run-hooked.ts';

/** Where the workspace's skills stand. */
export const skillFolder = '/workspace/.claude/skills';

export async function writeSkill(
  { workspace: { fs } }: Host,
  name: string,
  text: string,
): Promise<void> {
  await fs.mkdir(`${skillFolder}/${name}`, { recursive: true });
  await fs.writeFile(`${skillFolder}/${name}/SKILL.md`, text);
}

/** `skills`: the text of each SKILL.md, by its folder. */
export async function openWithSkills(skills: Readonly<Record<string, string>>): Promise<Host> {
  const host = await openHost();
  for (const [name, text] of Object.entries(skills)) await writeSkill(host, name, text);
  return host;
}

export const skillText = (fields: string, body: string) => `---\n${fields}\n---\n${body}\n`;
export const callSkill = (skill: string, args?: string, id?: string) =>
  callTool('Skill', { skill, ...(args !== undefined && { args }) }, id);

/** What calls of Skill gave. */
export const toSkillOutputs = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) =>
    message.type === 'user' && message.tool_use_result ? [message.tool_use_result] : [],
  ) as SkillOutput[];

export const toDeniedTools = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) =>
    message.type === 'result' ? message.permission_denials.map((one) => one.tool_name) : [],
  );

/** One turn a prompt; `before` runs when the prompt of that number is asked for. */
export async function* toPrompts(
  count: number,
  before: (at: number) => Promise<void>,
): AsyncGenerator<SDKUserMessage> {
  for (let at = 0; at < count; at += 1) {
    await before(at);
    const message = { role: 'user', content: `Prompt ${at}.` } as const;
    yield { type: 'user', message, parent_tool_use_id: null };
  }
}
