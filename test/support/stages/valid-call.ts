// A call that has passed stage 3, for tests of the later stages.
import { classifyCall } from '../../../src/agent/calls/classify-call.ts';
import type { ValidCall } from '../../../src/agent/calls/validate.ts';
import type { Tool } from '../../../src/core/tool/tool.ts';

export function validCall(tool: Tool, input: Record<string, unknown> = {}): ValidCall {
  const toolUse = { id: 'call-1', name: tool.name, input, index: 0 };
  return { stage: 'valid', toolUse, tool, input, traits: classifyCall(tool, input) };
}
