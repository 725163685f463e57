// Mode `auto`: a classifier answers the questions that a person would get otherwise. Questions that
// it leaves open go to the person. Loaded for a query that has a classifier.
import { createChildController } from '../../core/async/abort.ts';
import { describeThrown } from '../../core/errors.ts';
import { msSince } from '../../core/async/ms-since.ts';
import type {
  AutoClassifier,
  ClassifierRequest,
  ClassifierUsage,
  ClassifierVerdict,
  ToolPermissionContext,
} from '../../core/permissions/permission.ts';
import type { Clock } from '../../core/tool/ports.ts';
import type { Tool } from '../../core/tool/tool.ts';
import type { ValidCall } from '../calls/validate.ts';
import type { Spending } from '../session/spending.ts';
import type { CountedRequest } from '../session/usage-meter.ts';

/** The call as the classifier gets it. */
export interface ClassifiedCall extends Pick<ValidCall, 'input'> {
  readonly tool: Pick<Tool, 'name' | 'toAutoClassifierInput'>;
  readonly traits: Pick<ValidCall['traits'], 'isDestructive'>;
}

/** Asks one session's classifier. */
export interface AutoMode {
  /**
   * Never rejects. `changedPaths`: the call has run, and the question is whether its changes are
   * kept.
   */
  judge(
    call: ClassifiedCall,
    signal: AbortSignal,
    changedPaths?: readonly string[],
  ): Promise<ClassifierVerdict>;
}

// 30 s: longer than a model needs for a sentence. After that the person is asked.
const maxWaitMs = 30_000;

/**
 * The part of the session that the classifier sees. It is read again for each call, because the
 * lists may be replaced.
 */
export interface JudgedSession extends Pick<
  ClassifierRequest,
  'messages' | 'prompts' | 'hostNotes'
> {
  readonly noteUsage: (request: CountedRequest) => void;
  readonly spending: Pick<Spending, 'isSpent'>;
}

export function createAutoMode(
  classifier: AutoClassifier,
  clock: Clock,
  session: JudgedSession,
): AutoMode {
  return {
    async judge(call, signal, changedPaths) {
      const input = readInput(call);
      // Security: a call without input shows the classifier nothing to judge.
      if (input === '' || input === undefined || input === null) {
        return leave('the tool shows the classifier nothing');
      }
      const { messages, prompts, hostNotes = [], spending, noteUsage } = session;
      if (spending.isSpent()) return leave('maxBudgetUsd is spent');
      const startedAt = clock.now();
      const reportUsage = (used: ClassifierUsage) => {
        const askedModel = classifier.modelName ?? used.model;
        const apiMs = msSince(startedAt, clock);
        noteUsage({ ...used, purpose: 'classifier', askedModel, apiMs });
      };
      const request: ClassifierRequest = {
        toolName: call.tool.name,
        input,
        prompts,
        messages,
        ...(hostNotes.length > 0 && { hostNotes }),
        ...(call.traits.isDestructive && { isDestructive: true as const }),
        ...(changedPaths && { changedPaths }),
      };
      const controller = createChildController(signal);
      const timer = clock.after(maxWaitMs, () => controller.abort());
      try {
        return toVerdict(
          await raceAbort(classifier(request, controller.signal, reportUsage), controller.signal),
        );
      } catch (error) {
        return leave(`the classifier failed (${describeThrown(error)})`);
      } finally {
        timer[Symbol.dispose]();
        controller[Symbol.dispose]();
      }
    },
  };
}

function leave(message: string): ClassifierVerdict {
  return { behavior: 'ask', message };
}

// Security: an invalid verdict leaves the call to the person.
function toVerdict(verdict: ClassifierVerdict): ClassifierVerdict {
  const { behavior, message } = verdict;
  const isVerdict = behavior === 'allow' || behavior === 'deny';
  return isVerdict ? { behavior, message: String(message) } : leave(String(message));
}

function readInput({ tool, input }: ClassifiedCall): unknown {
  try {
    return tool.toAutoClassifierInput(input);
  } catch {
    return '';
  }
}

/** A classifier that ignores its signal must not block the call. */
function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new Error('it took too long'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/**
 * True if the classifier may answer the question. In every mode, questions by ask rules, protected
 * paths and tools go to a person. `reason` is the reason of the question, if known.
 */
export function isForClassifier(permissions: ToolPermissionContext, reason: unknown): boolean {
  return permissions.mode === 'auto' && reason === undefined;
}

/**
 * Security: text that the model has read may name a private host, and the classifier doesn't see
 * that text.
 */
export function leavePrivateHost(host: string): ClassifierVerdict {
  return leave(`${host} is no public host`);
}

/** Leaves every question to the person. */
export const withoutClassifier: AutoMode = {
  judge: () => Promise.resolve({ behavior: 'ask', message: 'there is no classifier' }),
};
