// The description of Snip for the model.

export const snipToolName = 'Snip';

export const snipDescription =
  'Takes a stretch of this conversation out of your context, and leaves a note of yours in its place.';

export const snipPrompt = `Snip makes room in a long conversation. Without input it lists the parts that can go, each with a number and its size: a part is one reply of yours with the results of its calls. With from, to and note it takes out the parts between two of these numbers.
- Take out what you are done with: searches that led nowhere, files that you read and won't need, long output.
- You don't see it any more, so put into the note what you still need: what you found, where it stands, what you decided.
- What the user said stays, and so do the instructions and tools that you have loaded.
- What follows the stretch is read again at full price, once. So take out much at a time, and seldom.`;
