"""The facts an event was loaded with leave the row that every request reads."""

import django.db.models.deletion
from django.db import migrations, models


def move_out(apps, _editor):
    Tournament, Baseline = (apps.get_model("tournament", name) for name in ("Tournament", "Baseline"))
    for pk, facts in Tournament.objects.order_by("pk").values_list("pk", "baseline").iterator(1):
        if facts:
            Baseline.objects.create(tournament_id=pk, facts=facts)


def move_back(apps, _editor):
    Tournament, Baseline = (apps.get_model("tournament", name) for name in ("Tournament", "Baseline"))
    for pk, facts in Baseline.objects.order_by("pk").values_list("tournament_id", "facts").iterator(1):
        Tournament.objects.filter(pk=pk).update(baseline=facts)


class Migration(migrations.Migration):

    dependencies = [
        ('tournament', '0035_entries_of_a_phone'),
    ]

    operations = [
        migrations.CreateModel(
            name='Baseline',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('facts', models.JSONField()),
                ('tournament', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournament.tournament')),
            ],
        ),
        migrations.RunPython(move_out, move_back, elidable=True),
    ]
