// The description of SendUserMessage for the model.

export const sendUserMessageToolName = 'SendUserMessage';

export const sendUserMessageDescription =
  'Tells the user something now, apart from your other text: a result, a problem, or where the work stands.';

export const sendUserMessagePrompt = `The user may not follow all that you write while you work. SendUserMessage is what they are shown first.
- Use it for what they should know: what came out, what went wrong, what you need from them. Routine steps need none.
- Say it whole, in Markdown, so that it can be understood without the rest. Don't repeat it as text.
- It asks nothing and waits for nothing: your turn goes on. For a decision use AskUserQuestion where you have it.`;
