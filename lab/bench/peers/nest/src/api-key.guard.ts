import { timingSafeEqual } from 'node:crypto';
import {
  type CanActivate,
  type ExecutionContext,
  Injectable,
  UnauthorizedException,
} from '@nestjs/common';

@Injectable()
export class ApiKeyGuard implements CanActivate {
  private readonly credential = Buffer.from(`Bearer ${process.env['API_KEY']}`);

  canActivate(context: ExecutionContext): boolean {
    const header = context.switchToHttp().getRequest().headers.authorization ?? '';
    const given = Buffer.from(header);
    const { credential } = this;
    if (given.length === credential.length && timingSafeEqual(given, credential)) return true;
    throw new UnauthorizedException('The API key is not valid.');
  }
}
