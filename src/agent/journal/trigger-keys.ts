// The states of a journal by which turns begin later: agent/triggers/ and agent/forge/ keep them, and
// a session's import drops them.

/** Behind it stands the id of a cron job. */
export const cronKeys = 'cron/';

/** The one wake-up. */
export const wakeupKey = 'wakeup';

/** Behind it stands a pull request that is polled, and whose news begin turns. */
export const pullRequestKeys = 'pull-request/';
