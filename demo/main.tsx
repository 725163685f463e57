// The page's start: opens the last project and shows the IDE, or says why this browser can't.
import { createRoot } from 'react-dom/client';
import { finishMcpLogin } from 'rockpool/browser';
import * as z from 'zod';
import { App } from './app.tsx';
import { applyTheme, readTheme } from './layout/theme.ts';

// Must come before the first schema is built. Otherwise zod would try to compile its checks, and the browser would
// report each try as a violation of this page's policy.
z.config({ jitless: true });
applyTheme(readTheme());
const root = document.getElementById('root');
if (!root) throw new Error('The page has no #root element.');
// Logins to MCP servers return to the same page, in a separate window.
const answer = new URLSearchParams(location.search);
if (answer.has('state') && (answer.has('code') || answer.has('error'))) finishMcpLogin();
else createRoot(root).render(<App />);
