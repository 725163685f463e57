// The limits on what tools add to the conversation. agent/calls/budget.ts enforces the limits on results. Tools that
// give a result in pages choose the length of a page by them.

/** An estimate: how many UTF-8 bytes count as one token. */
export const bytesPerToken = 4;

/** The ceiling of any one text result in tokens. */
export const maxResultTokens = 100_000;

/** The limit of one result for tools without one: UTF-16 units, some 12 000 tokens. */
export const defaultMaxResultChars = 50_000;

/** The ceiling of any one text result in UTF-8 bytes, also for tools that set themselves no limit. */
export const maxResultBytes = maxResultTokens * bytesPerToken;

/** For all results of one message together, in UTF-16 units. */
export const maxMessageResultsChars = 200_000;

/** For a task whose lines the model gets while it runs, in UTF-16 units. A task that prints more is stopped. */
export const maxToldChars = 1_000_000;
