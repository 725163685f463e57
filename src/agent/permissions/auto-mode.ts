// Mode `auto`: a classifier judges what a person would otherwise be asked. A question that it
// doesn't settle goes to the person. Loaded for a query that has a classifier.
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

/** What a classifier is told of. */
export interface ClassifiedCall extends Pick<ValidCall, 'input'> {
  readonly tool: Pick<Tool, 'name' | 'toAutoClassifierInput'>;
  readonly traits: Pick<ValidCall['traits'], 'isDestructive'>;
}

/** One session's way to its classifier. */
export interface AutoMode {
  /** Never rejects. `changedPaths`: the call has run, and it is about keeping what it changed. */
  judge(
    call: ClassifiedCall,
    signal: AbortSignal,
    changedPaths?: readonly string[],
  ): Promise<ClassifierVerdict>;
}

// 30 s: longer than a model takes for a sentence. Then the person may as well answer.
const maxWaitMs = 30_000;

/**
 * What the classifier has of its session. It is read again for each call, as the lists may be
 * replaced.
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
      // Security: the classifier can't judge a call that shows it nothing.
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

// Security: whatever isn't a verdict leaves the call to the person.
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

/** A classifier that doesn't heed its signal must not keep the call waiting. */
function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new Error('it took too long'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/**
 * May the classifier answer the question? Only if no rule, path or tool demands it. Rules that ask,
 * protected paths and tools that ask are a person's in every mode. `reason` is why the question is
 * put, if that is known.
 */
export function isForClassifier(permissions: ToolPermissionContext, reason: unknown): boolean {
  return permissions.mode === 'auto' && reason === undefined;
}

/** Security: text that the model has read may name such a host, and the classifier isn't shown that text. */
export function leavePrivateHost(host: string): ClassifierVerdict {
  return leave(`${host} is no public host`);
}

/** All is left to the person. */
export const withoutClassifier: AutoMode = {
  judge: () => Promise.resolve({ behavior: 'ask', message: 'there is no classifier' }),
};
