// The gallery's start.
import { createRoot } from 'react-dom/client';
import * as z from 'zod';
import { applyTheme, readTheme } from '../layout/theme.ts';
import { Gallery } from './gallery.tsx';

// As in the demo: zod would try whether it may compile its checks, which the page's policy refuses.
z.config({ jitless: true });
applyTheme(readTheme());
const root = document.getElementById('root');
if (!root) throw new Error('The page has no #root element.');
createRoot(root).render(<Gallery />);
