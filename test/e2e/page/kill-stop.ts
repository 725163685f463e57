// Where a kill test wants the FS worker to stand still. The page tells the FS worker so, by its URL
// and by a channel, and the worker tells the test.

/** Opening the log; writing an image of it; copying what lives out of segments, and removing them. */
export type Phase = 'recovery' | 'image' | 'compaction';

/** After so many calls of the browser's storage in the phase, or in its next ones. */
export interface Stop {
  readonly phase: Phase;
  readonly calls: number;
}

/** Where FS workers hear a {@link StopMessage}. */
export const stopChannel = 'kill-tests';

/** `quiet`: no tab writes any more, so who waits for a phase that isn't due shall stop as it is. */
export type StopMessage = Stop | 'quiet';
