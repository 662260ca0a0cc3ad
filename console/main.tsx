import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { StatusLine } from './parts/status-line.tsx';
import { WithSession } from './session.tsx';

const root = document.getElementById('root');
// The page removes it to say that a file is missing.
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <StatusLine>
        <WithSession>
          <App />
        </WithSession>
      </StatusLine>
    </StrictMode>,
  );
}
