import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { ErrorBoundary } from './parts/error-boundary.tsx';
import { StatusLine } from './parts/status-line.tsx';
import { WithSession } from './session.tsx';

const root = document.getElementById('root');
// The page removes it to say that a file is missing.
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <StatusLine>
        <ErrorBoundary>
          <WithSession>
            <App />
          </WithSession>
        </ErrorBoundary>
      </StatusLine>
    </StrictMode>,
  );
}
