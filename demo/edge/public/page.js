// Sends prompts to one session, which is made with the first, and shows what it says and which tools it calls.
const form = document.querySelector('form');
const said = document.querySelector('#said');
let session = sessionStorage.getItem('session');

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const button = form.querySelector('button');
  button.disabled = true;
  try {
    await send(form.elements.password.value, form.elements.prompt.value);
  } catch (error) {
    show(`⚠ ${error.message}`);
  } finally {
    button.disabled = false;
  }
});

async function send(password, prompt) {
  const headers = { authorization: `Bearer ${password}` };
  if (!session) {
    const made = await check(await fetch('/api/sessions', { method: 'POST', headers }));
    session = (await made.json()).id;
    sessionStorage.setItem('session', session);
  }
  show(`> ${prompt}`);
  const answer = await check(
    await fetch(`/api/sessions/${session}/prompt`, { method: 'POST', headers, body: prompt }),
  );
  let text = '';
  for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
    const events = (text + chunk).split('\n\n');
    text = events.pop();
    for (const each of events) tell(JSON.parse(each.slice('data: '.length)));
  }
}

async function check(answer) {
  if (!answer.ok) throw new Error(await answer.text());
  return answer;
}

function tell(message) {
  if (message.type !== 'assistant') return;
  for (const block of message.message.content) {
    if (block.type === 'text') show(block.text);
    if (block.type === 'tool_use') show(`[${block.name}]`);
  }
}

function show(line) {
  said.textContent += `${line}\n`;
}
