// The description of Sleep for the model.

export const sleepToolName = 'Sleep';

export const sleepDescription =
  'Ends your turn, and says when the next tick is to come. For when there is nothing useful to do now.';

export const sleepPrompt = `In this session ticks begin turns while the user says nothing. Answer a tick with Sleep when there is nothing useful to do: a text without it ends the turn as well, and the next tick comes soon.
- Choose the time by what you wait for. Each tick costs a request with the whole conversation.
- The user may write at any moment, and background tasks wake you when they end: don't sleep to wait for those.
- Call it alone, as the last thing of a message.`;
