// The description of SyntheticOutput for the model.

export const syntheticOutputToolName = 'SyntheticOutput';

export const syntheticOutputDescription =
  'Gives your final answer as data. It ends your turn: who asked gets this call’s input, and none of your text.';

export const syntheticOutputPrompt = `Whoever asked you reads your answer by a program, so it must be a call of SyntheticOutput.
- Do all of the work first, and wait for the agents that you have begun: nothing of theirs comes into the answer later. Then call it once, alone, as the last thing of your turn.
- Its input is the whole answer. Leave nothing for a text before or after it.
- Where the answer can't be found out, say so within what the schema allows; invent no values.`;

export const syntheticOutputResult = 'The answer was taken.';
