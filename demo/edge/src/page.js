// Sends prompts to one session, which is made with the first, and shows what it says and which tools it calls.
// wrangler bundles it to public/page.js: `build` in wrangler.jsonc.
import { connectSession, fetchTicket } from 'rockpool/wire';

const form = document.querySelector('form');
const said = document.querySelector('#said');
/** Connected with the first prompt. */
let session;

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
  session ??= await connect({ authorization: `Bearer ${password}` });
  show(`> ${prompt}`);
  await session.send(prompt);
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
  void follow(connected);
  return connected;
}

/** All that was said, also before this page was opened, and all that is said from now on. */
async function follow(connected) {
  for await (const message of connected.messages()) tell(message);
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
