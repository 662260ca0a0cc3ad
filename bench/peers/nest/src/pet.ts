import { Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Length, Max, Min, ValidateIf } from 'class-validator';

const STATUSES = ['available', 'pending', 'sold'];

export interface Pet {
  id: number;
  name: string;
  categoryId: number;
  status?: string;
}

export class NewPet {
  @IsString()
  @Length(1, 255)
  name: string;

  @IsInt()
  categoryId: number;

  @ValidateIf((pet) => pet.status !== undefined)
  @IsIn(STATUSES)
  status?: string;
}

export class ListQuery {
  @IsInt()
  @Min(1)
  @Max(100)
  @Type(() => Number)
  limit = 20;

  @IsInt()
  @Min(0)
  @Type(() => Number)
  after = 0;

  @IsOptional()
  @IsIn(STATUSES)
  status?: string;
}
