// The states of a journal by which turns begin later: agent/triggers/ keeps them, and a session's import drops them.

/** Behind it stands the id of a cron job. */
export const cronKeys = 'cron/';

/** The one wake-up. */
export const wakeupKey = 'wakeup';
