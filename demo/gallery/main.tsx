// The gallery's start.
import { createRoot } from 'react-dom/client';
import * as z from 'zod';
import { applyTheme, readTheme } from '../layout/theme.ts';
import { Gallery } from './gallery.tsx';

// As in the demo: otherwise zod would try to compile its checks, which the page's policy refuses.
z.config({ jitless: true });
applyTheme(readTheme());
const root = document.getElementById('root');
if (!root) throw new Error('The page has no #root element.');
createRoot(root).render(<Gallery />);
