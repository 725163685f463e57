// The page's start: opens the last project and shows the IDE, or says why this browser can't.
import { createRoot } from 'react-dom/client';
import * as z from 'zod';
import { App } from './app.tsx';
import { applyTheme, readTheme } from './layout/theme.ts';

// Before the first schema is built: zod would try whether it may compile its checks, and the browser
// would report each try as a breach of this page's policy.
z.config({ jitless: true });
applyTheme(readTheme());
const root = document.getElementById('root');
if (!root) throw new Error('The page has no #root element.');
createRoot(root).render(<App />);
