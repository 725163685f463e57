// The states of a journal by which turns begin later: agent/triggers/ and agent/forge/ keep them, and
// a session's import drops them.

/** The id of a cron job follows it. */
export const cronKeys = 'cron/';

/** The one wake-up. */
export const wakeupKey = 'wakeup';

/** Behind it stands a pull request that is polled, and whose news begin turns. */
export const pullRequestKeys = 'pull-request/';
