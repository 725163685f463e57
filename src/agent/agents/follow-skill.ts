// Runs a skill's text in an agent of its own, for the tool Skill: see `SkillAgents` of core/commands/skill.ts.
import type { AgentReport, AgentRequest, Agents, LaunchedAgent } from '../../core/agents/agents.ts';
import { SdkError } from '../../core/errors.ts';
import type { PermissionRule } from '../../core/permissions/permission.ts';
import type { SessionJournal } from '../journal/session-journal.ts';
import { toReportText } from './agent-report.ts';
import { isKindDenied } from './announce-agents.ts';
import { defaultAgentName } from './definitions.ts';

/** The parts of the agents that a skill uses. */
export interface SkillRunner {
  /** The id of the agent that the call starts, or has started. */
  readonly agentId: string;
  /** The caller's rules. */
  readonly rules: readonly PermissionRule[];
  /** Runs the agent, as `Agents.run` does. `allowed`: rules of the trusted skill. */
  run(
    request: AgentRequest & { readonly allowed: readonly string[] },
  ): Promise<AgentReport | LaunchedAgent>;
}

/** Resolves to the report. Rejects if the agent fails or is stopped. */
export async function followSkill(
  { skill, prompt, allow }: Parameters<Agents['runSkill']>[0],
  { onProgress }: Parameters<Agents['runSkill']>[1],
  journal: Pick<SessionJournal, 'onEntry'>,
  { agentId, rules, run }: SkillRunner,
): Promise<string> {
  const kind = skill.agent ?? defaultAgentName;
  // Security: a rule on Agent holds for the agent of a skill, too.
  if (isKindDenied(rules, kind)) {
    const message = `The skill "${skill.name}" is to be followed by an agent of the kind ${kind}, which a rule denies. Do without it.`;
    throw new SdkError('permission-denied', message, { data: { agentType: kind } });
  }
  const listening = journal.onEntry((entry) => {
    if (entry.agent === agentId && entry.type === 'call') onProgress(entry.tool);
  });
  const report = await run({
    description: skill.name,
    prompt,
    agentType: skill.agent,
    isBackground: false,
    allowed: allow,
  }).finally(() => listening[Symbol.dispose]());
  if (!('status' in report)) throw new TypeError('A skill was not waited for.');
  if (report.status === 'completed') return toReportText(report);
  const how = report.status === 'stopped' ? 'was stopped' : 'failed';
  throw new SdkError(
    'tool-failed',
    `The agent that followed the skill "${skill.name}" ${how}. ${toReportText(report)}`,
  );
}
