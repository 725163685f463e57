// Sends prompts to one session, which is made with the first. It shows what the session says, which tools it calls and
// why a turn failed, and puts the session's questions to the person. wrangler bundles it to public/page.js: `build` in
// wrangler.jsonc.
import { connectSession, fetchTicket } from 'rockpool/wire';

const form = document.querySelector('form');
const said = document.querySelector('#said');
const asked = document.querySelector('#asked');
const problem = document.querySelector('#problem');
const stop = document.querySelector('#stop');
/** Connected with the first prompt. */
let session;

form.addEventListener('submit', (event) => {
  event.preventDefault();
  const button = form.querySelector('button');
  button.disabled = true;
  attempt(() => send(form.elements.password.value, form.elements.prompt.value)).finally(() => {
    button.disabled = false;
  });
});

stop.addEventListener('click', () => attempt(() => session.interrupt()));

/** What fails is shown, until something works. */
async function attempt(work) {
  try {
    await work();
    problem.textContent = '';
  } catch (error) {
    problem.textContent = error.message;
  }
}

async function send(password, prompt) {
  session ??= await connect({ authorization: `Bearer ${password}` });
  await session.send(prompt);
  show(`> ${prompt}`);
  form.elements.prompt.value = '';
}

async function connect(headers) {
  let id = sessionStorage.getItem('session');
  if (!id) {
    const made = await check(await fetch('/api/sessions', { method: 'POST', headers }));
    ({ id } = await made.json());
    sessionStorage.setItem('session', id);
  }
  const url = new URL(`/api/sessions/${id}/wire`, location.href).href;
  const connected = await connectSession(url, { ticket: () => fetchTicket(url, headers) });
  void attempt(() => follow(connected));
  return connected;
}

/** All that was said, also before this page was opened, and all that is said from now on. */
async function follow(connected) {
  for await (const message of connected.messages()) {
    tell(message);
    stop.hidden = connected.state() === 'idle';
    ask(connected);
  }
}

async function check(answer) {
  if (!answer.ok) throw new Error(await answer.text());
  return answer;
}

function tell(message) {
  if (message.type === 'result' && message.is_error) {
    show(`⚠ ${message.subtype === 'success' ? message.result : message.errors.join(' ')}`);
  }
  if (message.type !== 'assistant') return;
  for (const block of message.message.content) {
    if (block.type === 'text') show(block.text);
    if (block.type === 'tool_use') show(`[${block.name}]`);
  }
}

/** The questions that wait, each once. One that was answered elsewhere goes. */
function ask(connected) {
  const questions = connected.questions();
  const shown = new Map([...asked.children].map((element) => [element.dataset.id, element]));
  for (const question of questions) {
    if (!shown.delete(question.requestId)) asked.append(toCard(connected, question));
  }
  for (const element of shown.values()) element.remove();
}

function toCard(connected, { requestId, toolName, title, input }) {
  const card = document.createElement('fieldset');
  card.dataset.id = requestId;
  const legend = document.createElement('legend');
  legend.textContent = title ?? `Allow ${toolName}?`;
  const details = document.createElement('pre');
  details.textContent = JSON.stringify(input, null, 2);
  card.append(legend, details);
  const answers = [
    ['Deny', { behavior: 'deny', message: 'The person refused.' }],
    // It is answered with an input that this page has no form for.
    ...(toolName === 'AskUserQuestion' ? [] : [['Allow', { behavior: 'allow' }]]),
  ];
  for (const [label, answer] of answers) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = label;
    button.addEventListener('click', () =>
      attempt(async () => {
        await connected.answer(requestId, answer);
        card.remove();
        form.elements.prompt.focus();
      }),
    );
    card.append(button);
  }
  return card;
}

function show(line) {
  said.textContent += `${line}\n`;
}
