from django.db import migrations, models

STATUSES = [
    ("registered", "registered"),
    ("waitlisted", "on the waitlist"),
    ("playing", "playing"),
    ("dropped", "dropped"),
    ("disqualified", "disqualified"),
    ("merged", "merged"),
]


def name_merged_entries(apps, schema_editor):
    """Entries that a correction withdrew and linked to another were merged: their rows and the log say so."""
    Entry, Action = apps.get_model("tournament", "Entry"), apps.get_model("tournament", "Action")
    for action in Action.objects.filter(kind="correction").order_by("number").iterator(100):
        found = False
        for change in action.changes:
            after = change.get("after") or {}
            if not after.get("same_person_as") or (after.get("status"), after.get("dropped_after")) != ("dropped", 0):
                continue
            rows = Entry.objects.filter(
                tournament=action.tournament_id,
                code=change["fact"].removeprefix("entries/"),
                status__in=["dropped", "merged"],
                dropped_after=0,
                same_person_as__code=after["same_person_as"],
            )
            if rows.update(status="merged"):
                after["status"], found = "merged", True
        if found:
            action.save(update_fields=["changes"])


class Migration(migrations.Migration):
    dependencies = [("tournament", "0012_repairs_of_earlier_rounds")]

    operations = [
        migrations.RemoveConstraint(model_name="entry", name="entry_status_is_known"),
        migrations.AlterField(
            model_name="entry",
            name="status",
            field=models.CharField(
                choices=STATUSES, default="playing", max_length=12, verbose_name="status"
            ),
        ),
        migrations.AddConstraint(
            model_name="entry",
            constraint=models.CheckConstraint(
                condition=models.Q(("status__in", [value for value, _label in STATUSES])),
                name="entry_status_is_known",
            ),
        ),
        migrations.RunPython(name_merged_entries, migrations.RunPython.noop),
    ]
