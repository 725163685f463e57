// Asks the person an MCP server's question (elicitation). Hooks may answer, then the host's
// `onElicitation`; otherwise the question is declined. Called by mcp-exchange.ts for remote
// servers, and by tools through their context.
import { describeThrown } from '../../core/errors.ts';
import {
  fillInDefaults,
  findElicitedFault,
  readElicitedForm,
  readElicitedUrl,
} from '../../core/mcp/elicited-form.ts';
import { isRecord } from '../../core/values/is-record.ts';
import type {
  ElicitationRequest,
  ElicitationResult,
  OnElicitation,
} from '../../core/mcp/mcp-exchange.ts';
import { toNoticeMessage } from '../messages/to-sdk-message.ts';
import type { Session } from './session.ts';

/** The parts of the session that answer a server's question. */
export type Elicitor = Pick<Session, 'emit' | 'hooks' | 'id' | 'ids' | 'onElicitation' | 'queue'>;

/**
 * Never rejects. Viewers get a notice if a question can't be asked, or if an answer doesn't fit.
 */
export async function elicit(
  session: Elicitor,
  request: ElicitationRequest,
  signal: AbortSignal,
): Promise<ElicitationResult> {
  const { hooks, onElicitation, queue } = session;
  const warn = (why: string) => {
    const text = `The MCP server ${request.serverName} asked for something, and was refused: ${why}`;
    session.emit(toNoticeMessage(session, text, 'warning'));
  };
  const fault = findRequestFault(request);
  if (fault !== undefined) {
    warn(fault);
    return { action: 'decline' };
  }
  const first =
    (await hooks?.elicit(request, signal)) ??
    (onElicitation && (await queue(() => ask(onElicitation, request, signal, warn)))) ??
    ({ action: 'decline' } as const);
  if (signal.aborted) return { action: 'cancel' };
  const last = (await hooks?.hearElicitation(request, first, signal)) ?? first;
  return checkResult(request, last, warn);
}

function findRequestFault({ mode = 'form', url, requestedSchema }: ElicitationRequest) {
  if (mode === 'url') {
    return readElicitedUrl(url) ? undefined : 'its address is none with https:.';
  }
  return readElicitedForm(requestedSchema) ? undefined : 'its form isn’t one of plain fields.';
}

async function ask(
  onElicitation: OnElicitation,
  request: ElicitationRequest,
  signal: AbortSignal,
  warn: (why: string) => void,
): Promise<ElicitationResult> {
  if (signal.aborted) return { action: 'cancel' };
  let withdraw = () => {};
  const withdrawn = new Promise<ElicitationResult>((resolve) => {
    withdraw = () => resolve({ action: 'cancel' });
    signal.addEventListener('abort', withdraw, { once: true });
  });
  try {
    return await Promise.race([onElicitation(request, { signal }), withdrawn]);
  } catch (error) {
    if (!signal.aborted) warn(`onElicitation failed: ${describeThrown(error)}`);
    return { action: 'cancel' };
  } finally {
    signal.removeEventListener('abort', withdraw);
  }
}

/** Checks the answer of the host's code, which may be untyped. */
function checkResult(
  { mode = 'form', requestedSchema }: ElicitationRequest,
  result: ElicitationResult,
  warn: (why: string) => void,
): ElicitationResult {
  const { action, content = {} } = isRecord(result) ? result : { action: undefined };
  if (action === 'decline' || action === 'cancel') return { action };
  if (action !== 'accept' || !isRecord(content)) {
    warn('its answer is none. Give { action: "accept", content }, "decline" or "cancel".');
    return { action: 'cancel' };
  }
  if (mode === 'url') return { action };
  const filled = fillInDefaults(requestedSchema, content);
  const fault = findElicitedFault(readElicitedForm(requestedSchema) ?? [], filled);
  if (fault === undefined) return { action, content: filled };
  warn(`the answer doesn’t fit its form. ${fault}`);
  return { action: 'cancel' };
}
