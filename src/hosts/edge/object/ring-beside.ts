// Handles one alarm event of an object: a step of its session, and the other alarms concurrently.
// Used by create-session-object.ts.
import { isDoneIn } from '../../../core/async/in-time.ts';
import { isSuperseded } from './is-superseded.ts';

/** The functions that the event needs. */
export interface RingBesidePorts<Told> {
  /** Rings the other alarms. */
  ring(): Promise<Told>;
  /** Makes one step. False: no further step is wanted in this event. */
  step(): Promise<boolean>;
  /** When the next step is due, in milliseconds since the epoch; `Infinity`: none is. */
  dueAt(): number;
  /** Resolves when a step becomes due before its time. */
  whenRung(): Promise<void>;
}

/**
 * How both have ended. `stepped`: false if no step was due. Rejects like the first step that has
 * failed.
 */
export interface RungBeside<Told> {
  readonly told: PromiseSettledResult<Told>;
  readonly stepped: PromiseSettledResult<boolean>;
}

/**
 * Makes a due step, and further steps while the other alarms ring. So a turn doesn't wait for a
 * slow bucket, and a handler of the class may wait for the end of the turn. Never rejects.
 */
export async function ringBeside<Told>(ports: RingBesidePorts<Told>): Promise<RungBeside<Told>> {
  const isDue = () => ports.dueAt() <= Date.now();
  let isTold = false;
  // Started before the other alarms. Alarms that need a released session then see that it is in
  // use.
  const first = isDue() ? ports.step() : undefined;
  const ringing = ports.ring();
  const told = ringing.then(noteTold, noteTold);
  const [toldEnd, stepped] = await Promise.allSettled([ringing, stepOn()]);
  return { told: toldEnd, stepped };

  function noteTold(): void {
    isTold = true;
  }

  async function stepOn(): Promise<boolean> {
    const failures: unknown[] = [];
    let hasStepped = false;
    for (let begun = first; ; begun = undefined) {
      if (begun || isDue()) {
        hasStepped = true;
        const isWanted = await (begun ?? ports.step()).catch((error: unknown) => {
          failures.push(error);
          return !isSuperseded(error);
        });
        if (!isWanted || isTold) break;
      } else if (isTold) break;
      else await Promise.race([told, ports.whenRung(), whenDue()]);
    }
    if (failures.length > 0) throw failures[0];
    return hasStepped;
  }

  async function whenDue(): Promise<void> {
    const at = ports.dueAt();
    if (at === Infinity) return told;
    await isDoneIn(told, Math.max(0, at - Date.now()));
  }
}
