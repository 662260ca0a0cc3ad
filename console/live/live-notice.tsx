import { TEXTS } from '../texts.ts';
import { LOOK_SECONDS, useLive } from './use-live.ts';

/** Follows the changes of others, and says so if that is not possible. */
export function LiveNotice() {
  const state = useLive();
  return (
    <div role="status">
      {state === 'lost' && <p className="notice waiting">{TEXTS.frame.lost}</p>}
      {state === 'unshared' && <p className="muted">{TEXTS.frame.looks(LOOK_SECONDS)}</p>}
    </div>
  );
}
