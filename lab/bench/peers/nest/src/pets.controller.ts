import {
  Body,
  Controller,
  Get,
  HttpCode,
  NotFoundException,
  Param,
  Post,
  Query,
  Res,
} from '@nestjs/common';
import { ListQuery, NewPet, type Pet } from './pet.js';
import { PetsService } from './pets.service.js';

@Controller('v1/pets')
export class PetsController {
  constructor(private readonly pets: PetsService) {}

  @Get()
  list(@Query({ schema: ListQuery }) query: ListQuery): Pet[] {
    return this.pets.findPage(query);
  }

  @Get(':id')
  get(@Param('id') text: string): Pet {
    const id = Number(text);
    const pet = Number.isSafeInteger(id) ? this.pets.find(id) : undefined;
    if (pet === undefined) throw new NotFoundException('No such animal.');
    return pet;
  }

  @Post()
  @HttpCode(201)
  create(
    @Body({ schema: NewPet }) body: NewPet,
    @Res({ passthrough: true }) res: { header(name: string, value: string): void },
  ): Pet {
    const pet = this.pets.create(body);
    res.header('location', `/v1/pets/${pet.id}`);
    return pet;
  }
}
