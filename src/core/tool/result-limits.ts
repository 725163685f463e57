// The limits on what tools give the conversation. agent/calls/budget.ts enforces those on results; tools that
// page choose their pages by them.

/** How many UTF-8 bytes count as one token, where nobody counts better. */
export const bytesPerToken = 4;

/** The ceiling of any one text result in tokens. */
export const maxResultTokens = 100_000;

/** The limit of one result for tools without one: UTF-16 units, some 12 000 tokens. */
export const defaultMaxResultChars = 50_000;

/** The ceiling of any one text result in UTF-8 bytes, also for tools that set themselves no limit. */
export const maxResultBytes = maxResultTokens * bytesPerToken;

/** For all results of one message together, in UTF-16 units. */
export const maxMessageResultsChars = 200_000;

/** For a task whose lines are told as they come, in UTF-16 units: more than anybody reads. It is stopped above. */
export const maxToldChars = 1_000_000;
