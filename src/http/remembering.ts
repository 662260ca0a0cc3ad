import type { Clock } from '../clock.ts';
import { chain } from '../maybe-promise.ts';
import type { Principal } from './context.ts';
import type { KeptReply } from './respond.ts';
import type { Stage } from './stage.ts';

/**
 * What was found out since the database last changed. A read's answer is a function of the
 * caller's key, the URL and the database: as long as the database is the same, so is the answer,
 * and neither has to be found out again. The first change, by whichever process, ends all of it.
 */
export class Memory {
  /** Who holds the key of an Authorization header. Whether it still holds is asked every time. */
  readonly #principals = new Map<string, Principal>();

  readonly #places: (Place | undefined)[] = new Array(PLACES);

  principalOf(authorization: string): Principal | undefined {
    return this.#principals.get(authorization);
  }

  rememberPrincipal(authorization: string, principal: Principal): void {
    // One key can be sent in many ways: blanks before it, the scheme in any case.
    if (this.#principals.size >= MAX_PRINCIPALS) this.#principals.clear();
    this.#principals.set(authorization, principal);
  }

  /**
   * The place of a request, if it was asked the time before that its place was looked for.
   * Otherwise the place is its own from now on: there are few, and a URL has one of them. So many
   * distinct requests push each other out and cost no memory, while one that is repeated comes back.
   */
  placeOf(keyId: number, url: string): Place | undefined {
    const index = indexOf(url);
    const place = this.#places[index];
    if (place !== undefined && place.url === url && place.keyId === keyId) return place;
    this.#places[index] = { keyId, url, reply: undefined };
    return undefined;
  }
}

/** Where the reply to one request is kept, from the second time on that it is asked. */
interface Place {
  readonly keyId: number;
  readonly url: string;
  reply: KeptReply | undefined;
}

const MAX_PRINCIPALS = 10_000;

/** A power of two. */
const PLACES = 256;

/** What tells URLs apart is mostly at their ends. */
function indexOf(url: string): number {
  let hash = url.length;
  for (let index = hash - 1, last = Math.max(0, hash - 8); index >= last; index -= 1) {
    hash = (hash * 31 + url.charCodeAt(index)) | 0;
  }
  return (hash ^ (hash >>> 8)) & (PLACES - 1);
}

/**
 * Gives each request what is remembered of the database as it is at this moment.
 * @param version tells whether the database is still the same; undefined: that is not known.
 */
export function remembering(version: () => number | undefined): Stage {
  let memory: Memory | undefined;
  let versionOfMemory: number | undefined;
  return (request, ctx, next) => {
    const current = version();
    if (current !== versionOfMemory) {
      memory = current === undefined ? undefined : new Memory();
      versionOfMemory = current;
    }
    ctx.memory = memory;
    return next(request, ctx);
  };
}

/** Answers a request that was answered before, while nothing has changed since. */
export function repeatReplies(clock: Clock): Stage {
  return (request, ctx, next) => {
    const { memory, principal } = ctx;
    if (memory === undefined || principal === undefined || !isPlainRead(request)) {
      return next(request, ctx);
    }
    const place = memory.placeOf(principal.keyId, request.url);
    if (place === undefined) return next(request, ctx);
    if (place.reply !== undefined && clock.now() < place.reply.untilMs) {
      return place.reply.respond(ctx);
    }
    ctx.keepsReply = true;
    return chain(next(request, ctx), (response) => {
      place.reply = ctx.reply;
      return response;
    });
  };
}

/** Nothing but the URL and the key decides the answer: not so where one of these is sent. */
const isPlainRead = ({ method, headers }: Request): boolean =>
  method === 'GET' && headers.get('if-none-match') === null && headers.get('prefer') === null;
